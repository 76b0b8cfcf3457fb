#!/bin/sh
# Makes stubs of the services' descriptions in the folder of the first argument, as Java programs do, and calls with them.
# The address before the name of each service is the second argument, what follows it the third.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
jars=$(printf '/usr/share/java/%s.jar:' axis axis-jaxrpc axis-saaj commons-discovery commons-logging wsdl4j javax.activation javax.mail gson)
cd "$1"
run="java -XX:TieredStopAtLevel=1 -cp $jars."
for service in ProcessLink CustomerLink ReportLink; do
  package=$(echo "$service" | tr '[:upper:]' '[:lower:]')
  $run org.apache.axis.wsdl.WSDL2Java --noWrapped -p "$package" "$2/$service$3" &
done
wait
javac -J-XX:TieredStopAtLevel=1 -nowarn -cp "$jars" -d . "$here/AxisClient.java" */*.java 2>javac.log || { cat javac.log >&2; exit 1; }
exec $run AxisClient
