import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { migrateDatabase } from '#db/migrate.ts'
import { startEmbeddedPostgres } from '#dev/postgres/start.ts'
import { createProgress } from '../progress.ts'
import { startTokenIssuer, type TokenIssuer } from '../sandbox/token-issuer.ts'

export const progress = createProgress(process.stderr)

const measurement = 'Measurement'

export const followMeasurement = <T>(measuring: Promise<T>) => progress.follow(measurement, measuring)

export const reportStep = (text: string) => progress.update(measurement, text)

export interface BenchOptions {
  readonly rounds: number
  readonly seconds: number
  readonly profileFolder: string | undefined
  /** Proxies to measure next to the gateway; unset for all. */
  readonly peers?: readonly string[] | undefined
  /** Numbers of connections for forwarded requests; unset for all. */
  readonly connections?: readonly number[] | undefined
}

export interface Bench {
  readonly folder: string
  readonly databaseUrl: string
  readonly issuer: TokenIssuer
  /** Registers a part for `end` to stop, and returns the part. `end` stops the parts in reverse order. */
  stopAtEnd<T extends { stop(): Promise<void> }>(part: T): T
  end(): Promise<void>
}

export const openBench = async (): Promise<Bench> => {
  const started = new AsyncDisposableStack()
  const stopAtEnd: Bench['stopAtEnd'] = (part) => started.adopt(part, () => part.stop())
  const end = () => started.disposeAsync()
  const folder = await mkdtemp(join(tmpdir(), 'crossfade-bench-'))
  stopAtEnd({ stop: () => rm(folder, { recursive: true, force: true }) })
  try {
    const database = stopAtEnd(
      await startEmbeddedPostgres({ dataDir: join(folder, 'postgres'), durable: false }),
    )
    await migrateDatabase(database.url)
    const issuer = await startTokenIssuer({ stateDir: join(folder, 'issuer') })
    stopAtEnd({ stop: () => issuer.close() })
    return { folder, databaseUrl: database.url, issuer, stopAtEnd, end }
  } catch (error) {
    await end()
    throw error
  }
}
