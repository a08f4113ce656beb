import { mkdir, rm } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { installedBinaries } from './binaries.ts'
import { prepareCluster } from './cluster.ts'
import { findLocation, type InstallLocation, listLocations } from './location.ts'
import { stopOrphan } from './orphan.ts'
import { launch, type Server, type ServerOptions } from './server.ts'
import { acquireStarterLock } from './starter-lock.ts'

const attempts = 5
const pauseMs = 300

export interface EmbeddedOptions {
  /** The folder of the database; made when it is missing. Its starter owns it until it stops or dies. */
  readonly dataDir: string
  readonly port?: number
  /** `false` for a test: writes are not awaited and the data is thrown away at the end. */
  readonly durable?: boolean
  /** Server settings beside our own, as `postgres -c` takes them. */
  readonly settings?: Readonly<Record<string, string>>
}

/** Starts PostgreSQL from the binaries npm installed, on loopback, on data of its own. */
export const startEmbeddedPostgres = async (options: EmbeddedOptions): Promise<Server> => {
  const folder = resolve(options.dataDir)
  await mkdir(folder, { recursive: true })
  const release = await acquireStarterLock(join(folder, 'starter.lock'))
  try {
    return await startClaimed(folder, options, release)
  } catch (error) {
    await release()
    throw error
  }
}

const startClaimed = async (folder: string, options: EmbeddedOptions, release: () => Promise<void>) => {
  const durable = options.durable ?? true
  const place = await findLocation(await installedBinaries(), folder)
  const passwordFile = join(folder, 'password')
  const logFile = join(folder, 'postgres.log')
  await stopOrphan(place.cluster)
  const password = await prepareCluster(place, passwordFile, durable)
  const { port, settings = {} } = options
  const server = await launchPatiently({ place, password, port, durable, settings, logFile })

  const end = async () => {
    await server.stop()
    if (!durable) await throwAway(place, [passwordFile, logFile])
    await release()
  }
  let ended: Promise<void> | undefined
  const stop = () => {
    ended ??= end()
    return ended
  }
  return { url: server.url, pid: server.pid, stop }
}

/** Removes a database that is stopped: its folder, and what had to be laid elsewhere. */
export const removeEmbeddedPostgres = async (dataDir: string): Promise<void> => {
  const places = await listLocations(resolve(dataDir))
  await Promise.all(
    places.map((path) => rm(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })),
  )
}

const throwAway = ({ cluster, displaced }: InstallLocation, files: readonly string[]) =>
  Promise.all(
    [displaced ? dirname(cluster) : cluster, ...files].map((path) =>
      rm(path, { recursive: true, force: true }),
    ),
  )

// A port that was free a moment ago may be taken, and the sessions of a server that was killed take a moment to end.
const launchPatiently = async (options: ServerOptions, left = attempts): Promise<Server> => {
  try {
    return await launch(options)
  } catch (error) {
    if (left <= 1) throw error
    await sleep(pauseMs)
    return launchPatiently(options, left - 1)
  }
}
