import { mkdir, rm } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findInstalledBinaries } from './binaries.ts'
import { prepareCluster } from './cluster.ts'
import { acquireDatabaseLock } from './database-lock.ts'
import { findLocation, type InstallLocation, listLocations } from './location.ts'
import { stopOrphanedServer } from './orphan.ts'
import { type EmbeddedServer, launchServer, type ServerOptions } from './server.ts'

const maxAttempts = 5
const retryDelayMs = 300

export interface EmbeddedOptions {
  /**
   * The database's folder, which is created if missing. The process that starts the database owns the folder until it
   * stops the database or dies.
   */
  readonly dataDir: string
  readonly port?: number
  /** `false` is for tests: it disables fsync and deletes the data on stop. */
  readonly durable?: boolean
  /** A folder whose `bin` contains the programs to use instead of those from npm. */
  readonly binaries?: string
  readonly settings?: Readonly<Record<string, string>>
}

export const startEmbeddedPostgres = async (options: EmbeddedOptions): Promise<EmbeddedServer> => {
  const folder = resolve(options.dataDir)
  await mkdir(folder, { recursive: true })
  const release = await acquireDatabaseLock(join(folder, 'starter.lock'))
  try {
    return await startLocked(folder, options, release)
  } catch (error) {
    await release()
    throw error
  }
}

const startLocked = async (folder: string, options: EmbeddedOptions, release: () => Promise<void>) => {
  const durable = options.durable ?? true
  const location = await findLocation(options.binaries ?? (await findInstalledBinaries()), folder)
  const passwordFile = join(folder, 'password')
  const logFile = join(folder, 'postgres.log')
  await stopOrphanedServer(location.cluster)
  const password = await prepareCluster(location, passwordFile, durable)
  const { port, settings = {} } = options
  const server = await launchWithRetries({ location, password, port, durable, settings, logFile })

  const shutDown = async () => {
    await server.stop()
    if (!durable) await deleteData(location, [passwordFile, logFile])
    await release()
  }
  let stopped: Promise<void> | undefined
  const stop = () => {
    stopped ??= shutDown()
    return stopped
  }
  return { url: server.url, pid: server.pid, exited: server.exited, stop }
}

export const removeEmbeddedPostgres = async (dataDir: string): Promise<void> => {
  const paths = await listLocations(resolve(dataDir))
  await Promise.all(
    paths.map((path) => rm(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })),
  )
}

const deleteData = ({ cluster, isDisplaced }: InstallLocation, files: readonly string[]) =>
  Promise.all(
    [isDisplaced ? dirname(cluster) : cluster, ...files].map((path) =>
      rm(path, { recursive: true, force: true }),
    ),
  )

// Retries because another process may take the free port first, and the backends of a killed server need a moment to
// exit.
const launchWithRetries = async (
  options: ServerOptions,
  attemptsLeft = maxAttempts,
): Promise<EmbeddedServer> => {
  try {
    return await launchServer(options)
  } catch (error) {
    if (attemptsLeft <= 1) throw error
    await sleep(retryDelayMs)
    return launchWithRetries(options, attemptsLeft - 1)
  }
}
