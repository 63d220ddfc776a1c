/** kill -9 at random moments, with real processes, sockets and files; kill/ has many more. */

import { testKills } from "./kill/kill-test.ts";

testKills(20);
