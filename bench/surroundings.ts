import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbeddedPostgres } from '#db/embedded/start.ts'
import { migrateDatabase } from '#db/migrate.ts'
import { startTokenIssuer, type TokenIssuer } from '#sandbox/token-issuer.ts'

export interface BenchOptions {
  readonly rounds: number
  /** How long one contestant is measured in one round. */
  readonly seconds: number
  /** A folder that takes a CPU profile of the gateway. */
  readonly profileFolder: string | undefined
}

export interface Bench {
  /** For logs and configurations; it goes when the bench ends. */
  readonly folder: string
  readonly databaseUrl: string
  readonly issuer: TokenIssuer
  /** Has this stopped when the bench ends, the last one first. */
  keep<T extends { stop(): Promise<void> }>(part: T): T
  end(): Promise<void>
}

/** What the gateway needs around it: an empty database and somebody who signs tokens. */
export const openBench = async (): Promise<Bench> => {
  const started = new AsyncDisposableStack()
  const keep: Bench['keep'] = (part) => started.adopt(part, () => part.stop())
  const end = () => started.disposeAsync()
  const folder = await mkdtemp(join(tmpdir(), 'crossfade-bench-'))
  keep({ stop: () => rm(folder, { recursive: true, force: true }) })
  try {
    const database = keep(await startEmbeddedPostgres({ dataDir: join(folder, 'postgres'), durable: false }))
    await migrateDatabase(database.url)
    const issuer = await startTokenIssuer({ stateDir: join(folder, 'issuer') })
    keep({ stop: () => issuer.close() })
    return { folder, databaseUrl: database.url, issuer, keep, end }
  } catch (error) {
    await end()
    throw error
  }
}
