// Package realclient checks berth against the published Kimi Code client. Its tests, behind the build tag
// "realclient", install the client, let it work on a fake model in a home of its own (prints, a terminal, a server),
// and look at what "berth watch" says meanwhile. One of them scores whom it names as the writer, and how sure it is:
//
//	go test -tags realclient -count=1 -v ./packaging/realclient
//
// BERTH names the berth binary to test; without it, build/berth of this repository is taken. The client
// is kept under build/, so only the first run needs the network. Nothing here holds code of the client.
package realclient
