/** The boards, in the order in which they are listed. */

import { OVERVIEW } from "./overview.ts";
import type { Board } from "./panel.ts";

export const BOARDS: readonly Board[] = [OVERVIEW];
