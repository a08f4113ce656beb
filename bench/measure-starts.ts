import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createGatewayEnvironment, productionOptions } from './gateway-process.ts'
import { measuredCpu } from './machine.ts'
import { measureInterleaved } from './measure-interleaved.ts'
import type { Bench, BenchOptions } from './open-bench.ts'
import { cpuSecondsOf, peakMemoryOf } from './process-usage.ts'
import { startProcess } from './start-process.ts'
import { median } from './statistics.ts'
import { table } from './tables.ts'

const root = join(import.meta.dirname, '..')
const run = promisify(execFile)

const buildBundle = async (folder: string) => {
  await run(process.execPath, ['gateway/start/write-build.ts'], { cwd: root })
  await run(process.execPath, ['gateway/start/bundle/build-for-node.ts', '--out', folder], { cwd: root })
}

/** Starts a gateway until it listens, and resolves to what that took. */
const measureStart = async ({ folder, databaseUrl, issuer }: Bench, program: string) => {
  const { pid, stop } = await startProcess({
    command: process.execPath,
    arguments: [...productionOptions, program],
    environment: createGatewayEnvironment({ databaseUrl, issuer, coreUrl: 'none' }),
    cpu: measuredCpu,
    outputFile: join(folder, 'start.log'),
  })
  try {
    return { cpuSeconds: await cpuSecondsOf(pid), peakMb: await peakMemoryOf(pid) }
  } finally {
    await stop()
  }
}

/** Measures the start of a gateway from its bundle and from its sources. Resolves to a table. */
export const measureStarts = async (bench: Bench, { rounds }: BenchOptions): Promise<string> => {
  const folder = join(bench.folder, 'bundle')
  await buildBundle(folder)
  const programs = [
    { name: 'the bundle', program: join(folder, 'server.mjs') },
    { name: 'the sources', program: join(root, 'gateway/server.ts') },
  ]
  // The first one migrates the database.
  for (const { program } of programs) await measureStart(bench, program)
  const samples = await measureInterleaved(programs, rounds, ({ program }) => measureStart(bench, program))
  const rows = [...samples].map(([name, starts]) => [
    name,
    median(starts.map(({ cpuSeconds }) => cpuSeconds)).toFixed(2),
    median(starts.map(({ peakMb }) => peakMb)).toFixed(0),
  ])
  return table(['a gateway starts from', 'CPU seconds', 'peak MB'], rows)
}
