import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import postgres from 'postgres'
import type { TestProject } from 'vitest/node'
import { migrateDatabase } from '#db/migrate.ts'
import { startEmbeddedPostgres } from '#dev/postgres/start.ts'
import { chooseDataFolder, dataPrefix } from './data-folder.ts'
import { postgres15Folder } from './installed-programs.ts'
import { startPgBouncer } from './pgbouncer.ts'
import { isRedisInstalled, startRedisServer } from './redis-server.ts'
import { writeShiftedPostgres } from './shifted-clock.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** This run's server. Every test database is a copy of the migrated `template`. */
    databaseServer: {
      readonly url: string
      readonly template: string
      /** The server's URL through a pooler in transaction mode; null without one. */
      readonly poolerUrl: string | null
      /** Whether every test database has settings that differ from those the code relies on. */
      readonly changedSettings?: 'database' | undefined
    }
    /** The URL of this run's Redis server; null if Redis is not installed. */
    redisUrl: string | null
  }
}

const template = 'migrated_template'

/**
 * Starts one PostgreSQL server and one Redis server for the whole run; the returned function stops and removes them. In
 * `vitest.thorough.config.ts`, a project's name decides which server it gets and whether there is a pooler.
 */
export const setup = async (project: TestProject) => {
  const dataDir = await mkdtemp(join(await chooseDataFolder(), dataPrefix))
  // If the tests run as root, PostgreSQL runs under a different account, which must be able to read its data directory.
  await chmod(dataDir, 0o755)
  const binaries = project.name === 'postgresql-15' ? postgres15Folder : await writeShiftedPostgres(dataDir)
  const server = await startEmbeddedPostgres({
    dataDir,
    durable: false,
    settings: { max_connections: '300', max_wal_size: '256MB' },
    ...(binaries === undefined ? {} : { binaries }),
  })
  const changedSettings = project.name === 'changed-settings' ? 'database' : undefined
  const pooler = project.name === 'pgbouncer' || changedSettings ? await startPgBouncer(server.url) : null
  const tearDown = async () => {
    await pooler?.stop()
    await server.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
  try {
    await prepareTemplate(server.url)
  } catch (error) {
    await tearDown()
    throw error
  }
  project.provide('databaseServer', {
    url: server.url,
    template,
    poolerUrl: pooler?.url ?? null,
    changedSettings,
  })
  const redis = await openRedis().catch(async (error) => {
    await tearDown()
    throw error
  })
  project.provide('redisUrl', redis?.url ?? null)
  return async () => {
    await redis?.stop()
    await tearDown()
  }
}

const openRedis = async () => {
  if (await isRedisInstalled()) return startRedisServer()
  if (process.env.CI) throw new Error('the tests require redis-server: install the package redis-server')
  process.stderr.write('redis-server is not installed: the tests of rate limits in Redis are skipped\n')
  return null
}

const prepareTemplate = async (url: string) => {
  const sql = postgres(url, { max: 1 })
  await sql`create database ${sql(template)}`
  await migrateDatabase(new URL(`/${template}`, url).href)
  // PostgreSQL can copy a database only while it has no connections.
  await sql`alter database ${sql(template)} with allow_connections false is_template true`
  await sql.end()
}
