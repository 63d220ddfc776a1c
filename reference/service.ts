/** The embedded reference service: starts it, switches its faults, stops it. */

import type { FastifyInstance } from "fastify";
import { Access } from "./access.ts";
import { createAccounts } from "./accounts/account.ts";
import { createKeys, type ReferenceKey } from "./accounts/keys.ts";
import { BodyReader } from "./catalogue/validation.ts";
import { WORKERS } from "./catalogue/workers.ts";
import { Timers } from "./clock.ts";
import type { Fault } from "./faults/fault.ts";
import { FAULTS } from "./faults/index.ts";
import { JobEngine } from "./jobs/engine.ts";
import { JobRenderer } from "./jobs/render.ts";
import { JobStore } from "./jobs/store.ts";
import { fillOptions, type GivenOptions, type ReferenceOptions } from "./options.ts";
import { registerAdmin } from "./routes/admin.ts";
import { FileStorage } from "./routes/storage.ts";
import { createServer } from "./server.ts";
import { Switchboard } from "./switchboard.ts";
import { webhookBody } from "./webhooks/body.ts";
import { WebhookSender } from "./webhooks/sender.ts";

export interface ReferenceService {
  baseUrl: string;
  options: ReferenceOptions;
  keys: ReferenceKey[];
  faults: {
    enable(name: string): void;
    disable(name: string): void;
    active(): string[];
  };
  close(): Promise<void>;
}

/**
 * Starts a service of its own: several can run side by side in one process. `others` are faults
 * that can be named beside those of the catalogue.
 */
export async function startReference(
  given: GivenOptions = {},
  others: readonly Fault[] = [],
): Promise<ReferenceService> {
  const options = fillOptions(given);
  const timers = new Timers();
  const keys = createKeys(options.seed);
  const scene = { variant: options.variant, timeScale: options.timeScale, keys };
  const board = new Switchboard([...FAULTS, ...others], scene, () => access.reset());
  const access = new Access(keys, options, () => board.hooks);
  for (const name of options.faults) board.enable(name);
  const address = { baseUrl: "" };
  const { app, sender } = assemble({ options, timers, board, access, address });
  await app.listen({ host: options.host, port: options.port });
  address.baseUrl = addressOf(app, options.host);
  return {
    baseUrl: address.baseUrl,
    options,
    keys,
    faults: {
      enable: (name) => board.enable(name),
      disable: (name) => board.disable(name),
      active: () => board.active(),
    },
    async close() {
      timers.close();
      await Promise.all([app.close(), sender.close()]);
    },
  };
}

interface Parts {
  options: ReferenceOptions;
  timers: Timers;
  board: Switchboard;
  access: Access;
  /** Known only once the server listens. */
  address: { baseUrl: string };
}

function assemble({ options, timers, board, access, address }: Parts) {
  const hooks = () => board.hooks;
  const store = new JobStore(options.jobsKeptMax);
  const storage = new FileStorage(options.signingSecret, store);
  const renderer = new JobRenderer(options.variant, options.choices, () => address.baseUrl);
  const body = (job: Parameters<typeof webhookBody>[0]) =>
    webhookBody(job, renderer, options.choices);
  const sender = new WebhookSender({ options, timers, hooks, body });
  const engine = new JobEngine({
    options,
    store,
    timers,
    hooks,
    fileAddress: (id) => storage.address(id),
    announce: (job) => sender.announce(job),
  });
  const accounts = createAccounts(Date.now());
  const bodies = new BodyReader();
  const published = new Set<string>();
  const core = { options, accounts, workers: WORKERS, published, bodies };
  const api = { ...core, store, engine, renderer, hooks };
  const app = createServer({ api, access, timers });
  storage.register(app);
  registerAdmin(app, FAULTS, board);
  return { app, sender };
}

function addressOf(app: FastifyInstance, host: string): string {
  const address = app.server.address();
  if (address === null || typeof address === "string") {
    throw new Error(`no TCP address to listen on at host "${host}"`);
  }
  const name = host.includes(":") ? `[${host}]` : host;
  return `http://${name}:${address.port}`;
}
