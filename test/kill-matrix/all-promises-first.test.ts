/** Faults against all promises, the first half of those drawn: nothing else is broken. */

import { testDrawnCells } from "./cell-tests.ts";

testDrawnCells(0, 2);
