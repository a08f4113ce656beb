import { startEmbeddedPostgres } from '#dev/postgres/start.ts'

// Runs in a process of its own: starts an embedded database and keeps it running until this process ends.
const server = await startEmbeddedPostgres({
  dataDir: process.argv[2] ?? '',
  durable: process.argv[3] === 'durable',
})
process.send?.({ url: server.url, pid: server.pid })
setInterval(() => undefined, 60_000)
