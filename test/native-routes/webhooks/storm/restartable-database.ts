import { join } from 'node:path'
import { removeEmbeddedPostgres, startEmbeddedPostgres } from '#dev/postgres/start.ts'

/** Its data is removed when it stops. */
export const startRestartableDatabase = async (folder: string) => {
  const dataDir = join(folder, 'durable-postgres')
  let server = await startEmbeddedPostgres({ dataDir })
  const { url } = server
  const port = Number(new URL(url).port)
  return {
    url,
    async restart() {
      await server.stop()
      server = await startEmbeddedPostgres({ dataDir, port })
    },
    async stop() {
      await server.stop()
      await removeEmbeddedPostgres(dataDir)
    },
  }
}
