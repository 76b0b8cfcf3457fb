#!/bin/sh
# Makes stubs of the services' descriptions in the folder of the first argument, as Java programs do, and calls with them.
# The address before the name of each service is the second argument, what follows it the third.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cd "$1"
quick=-XX:TieredStopAtLevel=1
# With a CA of its own, as the start lines of the sandbox say.
if [ -n "${SANDBOX_CA:-}" ]; then
  keytool -importcert -noprompt -alias sandbox -storepass changeit -keystore trust.jks -file "$SANDBOX_CA" 2>/dev/null
  trust="-Djavax.net.ssl.trustStore=trust.jks -Djavax.net.ssl.trustStorePassword=changeit"
fi
for service in ProcessLink CustomerLink ReportLink; do
  package=$(echo "$service" | tr '[:upper:]' '[:lower:]')
  WSIMPORT_OPTS="${trust:-} $quick" wsimport -quiet -Xnocompile -p "$package" "$2/$service$3" &
done
wait
jars=/usr/share/jaxws/lib/*:/usr/share/java/gson.jar
javac -J$quick -nowarn -cp "$jars" -d . "$here/JaxwsClient.java" */*.java 2>javac.log || { cat javac.log >&2; exit 1; }
exec java ${trust:-} $quick -cp "$jars:." JaxwsClient
