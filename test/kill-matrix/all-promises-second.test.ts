/** Faults against all promises, the second half of those drawn: nothing else is broken. */

import { testDrawnCells } from "./cell-tests.ts";

testDrawnCells(1, 2);
