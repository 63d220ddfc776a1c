/** kill -9 at random moments, so often that a seldom loss shows; and harm to the files between. */

import { testKills } from "./kill-test.ts";

testKills(200);
testKills(100, 0.3);
