// Package realclient checks berth against the published Kimi Code client. Its test, behind the build tag
// "realclient", installs the client, lets it work on a fake model in a home of its own, and looks at what
// "berth watch" says meanwhile:
//
//	go test -tags realclient -count=1 -v ./packaging/realclient
//
// BERTH names the berth binary to test; without it, build/berth of this repository is taken. The client
// is kept under build/, so only the first run needs the network. Nothing here holds code of the client.
package realclient
