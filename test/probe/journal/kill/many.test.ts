/** kill -9 at random moments, so often that a seldom loss shows. */

import { testKills } from "./kill-test.ts";

testKills(200);
