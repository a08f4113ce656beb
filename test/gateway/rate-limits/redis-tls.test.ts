import { readFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createServer } from 'node:tls'
import { expect, it, onTestFinished } from 'vitest'
import { openRedisLimitStore } from '#gateway/rate-limits/rate-limit-redis.ts'
import { createRecordingLog } from '#test/support/recording-log.ts'
import { databaseCaFile, otherCaFile } from '#test/support/tls-database.ts'

const tls = join(import.meta.dirname, '../../support/tls')

/** Starts a server with a certificate for 0.0.0.0 from the CA. It counts verified connections and never responds. */
const startTlsServer = async () => {
  const [cert, key] = await Promise.all([
    readFile(join(tls, 'database-cert.pem')),
    readFile(join(tls, 'database-key.pem')),
  ])
  let received = 0
  const server = createServer({ cert, key }, (socket) => {
    socket.on('error', () => undefined)
    socket.on('data', () => {
      received += 1
      socket.destroy()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, resolve))
  onTestFinished(async () => {
    await new Promise((resolve) => server.close(resolve))
  })
  const { port } = server.address() as AddressInfo
  return { url: `rediss://0.0.0.0:${port}`, hasReceived: () => received > 0 }
}

it.each([
  ['the configured CA', databaseCaFile, true],
  ['a different CA', otherCaFile, false],
])('Redis is used over TLS only if its certificate is trusted (signed by %s)', async (_, file, isTrusted) => {
  const { url, hasReceived } = await startTlsServer()
  const store = await openRedisLimitStore(url, createRecordingLog(), await readFile(file, 'utf8'))
  store.close()
  expect(hasReceived()).toBe(isTrusted)
})
