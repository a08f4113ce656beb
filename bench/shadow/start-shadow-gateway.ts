import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createGatewayEnvironment } from '../gateway-process.ts'
import type { Bench } from '../open-bench.ts'
import { startProcess } from '../start-process.ts'

interface ShadowGateway {
  readonly coreUrl: string
  /** What the compared handler of `packs.list` does; unset: the native handlers. */
  readonly fault?: string
  /** The share of native responses that the core is asked for. */
  readonly askedShare?: number
  readonly cpu?: number
}

/** Starts a gateway process that compares live responses. */
export const startShadowGateway = async (
  { databaseUrl, issuer, folder }: Bench,
  { coreUrl, fault, askedShare, cpu }: ShadowGateway,
) => {
  const logs = join(folder, crypto.randomUUID())
  await mkdir(logs)
  return startProcess({
    command: process.execPath,
    arguments: [join(import.meta.dirname, 'gateway.ts')],
    environment: {
      ...createGatewayEnvironment({ databaseUrl, coreUrl, issuer }),
      ...(fault === undefined ? {} : { BENCH_FAULT: fault }),
      ...(askedShare === undefined ? {} : { BENCH_ASKED_SHARE: String(askedShare) }),
    },
    ...(cpu === undefined ? {} : { cpu }),
    outputFile: join(logs, 'gateway.log'),
  })
}
