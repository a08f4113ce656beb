import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createGatewayEnvironment } from '../gateway-process.ts'
import type { Bench } from '../open-bench.ts'
import { startProcess } from '../start-process.ts'

interface ShadowGateway {
  readonly coreUrl: string
  /** Which fault the compared `packs.list` handler has. If unset, the native handlers are compared. */
  readonly fault?: string
  /** The percentage of native responses for which the gateway also asks the core. */
  readonly askedPercent?: number
  readonly cpu?: number
}

/** Starts a gateway process that compares live responses. */
export const startShadowGateway = async (
  { databaseUrl, issuer, folder }: Bench,
  { coreUrl, fault, askedPercent, cpu }: ShadowGateway,
) => {
  const logs = join(folder, crypto.randomUUID())
  await mkdir(logs)
  return startProcess({
    command: process.execPath,
    arguments: [join(import.meta.dirname, 'gateway.ts')],
    environment: {
      ...createGatewayEnvironment({ databaseUrl, coreUrl, issuer }),
      ...(fault === undefined ? {} : { BENCH_FAULT: fault }),
      ...(askedPercent === undefined ? {} : { BENCH_ASKED_PERCENT: String(askedPercent) }),
    },
    ...(cpu === undefined ? {} : { cpu }),
    outputFile: join(logs, 'gateway.log'),
  })
}
