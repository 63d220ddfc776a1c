/** Faults against all promises, the first half of those that were drawn: nothing else is broken. */

import { testDrawnCells } from "./cell-tests.ts";

testDrawnCells(0, 2);
