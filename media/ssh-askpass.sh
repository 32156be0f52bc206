#!/bin/sh
# What ssh starts to ask for a passphrase, a code or whether a host's key is right: the editor asks.
ELECTRON_RUN_AS_NODE=1 exec "$EXTROSPECT_ASK_NODE" "$EXTROSPECT_ASK_MAIN" "$@"
