import { chmod, chown, copyFile, mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import postgres from 'postgres'
import { startEmbeddedPostgres } from '#dev/postgres/start.ts'

const certificates = join(import.meta.dirname, 'tls')

/** The CA of the server's certificate for `db.example.test` and 0.0.0.0. */
export const databaseCaFile = join(certificates, 'database-ca.pem')
export const otherCaFile = join(certificates, 'cert.pem')

const run = async (url: string, work: (sql: postgres.Sql) => Promise<unknown>) => {
  const sql = postgres(url, { max: 1, onnotice: () => undefined })
  try {
    await work(sql)
  } finally {
    await sql.end({ timeout: 1 })
  }
}

/** Starts a PostgreSQL server that offers TLS; `url` has a loopback address and no `sslmode`. */
export const startTlsDatabase = async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'crossfade-tls-'))
  await chmod(dataDir, 0o755)
  const { url, stop } = await startEmbeddedPostgres({ dataDir, durable: false })
  await run(url, async (sql) => {
    const [folder] = await sql<{ path: string }[]>`select current_setting('data_directory') path`
    const { uid, gid } = await stat(folder!.path)
    for (const name of ['database-key.pem', 'database-cert.pem']) {
      const file = join(folder!.path, name)
      await copyFile(join(certificates, name), file)
      // PostgreSQL rejects a key that others can read.
      await chmod(file, 0o600)
      await chown(file, uid, gid)
    }
    await sql`alter system set ssl_key_file = 'database-key.pem'`
    await sql`alter system set ssl_cert_file = 'database-cert.pem'`
    await sql`alter system set ssl = on`
    await sql`select pg_reload_conf()`
  })
  return {
    url,
    close: async () => {
      await stop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}
