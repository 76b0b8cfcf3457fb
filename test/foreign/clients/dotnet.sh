#!/bin/sh
# Makes classes of the services' descriptions in the folder of the first argument, as .NET programs do, and calls with
# them. The address before the name of each service is the second argument, what follows it the third.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cd "$1"
for service in ProcessLink CustomerLink ReportLink; do
  wsdl -n:Stubs "-o:$service.cs" "$2/$service$3" >wsdl.log || { cat wsdl.log >&2; exit 1; }
done
mcs -nowarn:0219 -out:client.exe -r:System.Web.Services -r:System.Web.Extensions "$here/dotnet-client.cs" ./*Link.cs
exec mono client.exe
