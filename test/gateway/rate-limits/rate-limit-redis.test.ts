import { once } from 'node:events'
import { createServer } from 'node:net'
import { afterEach, describe, expect, inject, it } from 'vitest'
import type { LimitStore } from '#gateway/rate-limits/create-limits.ts'
import { openRedisLimitStore } from '#gateway/rate-limits/rate-limit-redis.ts'
import { createRecordingLog } from '#test/support/recording-log.ts'
import { type RedisServer, startRedisServer } from '#test/support/redis-server.ts'

const reservation = (key: string) => ({
  key,
  limit: 10,
  maxHeld: 0,
  windowS: 3600,
  window: null,
  released: 0,
  own: 0,
})

describe('the Redis store of rate limits', () => {
  const cleanups: (() => unknown)[] = []
  afterEach(async () => {
    for (const cleanUp of cleanups.splice(0)) await cleanUp()
  })

  const open = async (url: string) => {
    const log = createRecordingLog()
    const store = await openRedisLimitStore(url, log)
    cleanups.push(() => store.close())
    return { store, log }
  }
  const reserve = async (store: LimitStore) => {
    const [grant] = await store.reserve([reservation(crypto.randomUUID())])
    return grant!.granted
  }

  it('rejects immediately if there is no server, and logs neither the address nor the password', async () => {
    const { store, log } = await open('redis://user:the-password@127.0.0.1:1/0')
    await expect(reserve(store)).rejects.toThrow('offline')
    expect(log.lines[0]).toMatchObject({ level: 'error', message: 'failed to connect to redis' })
    expect(JSON.stringify(log.lines)).not.toMatch(/the-password|127\.0\.0\.1/)
  })

  it('rejects immediately while the server accepts connections but does not respond', async () => {
    const silent = createServer().listen(0, '127.0.0.1')
    await once(silent, 'listening')
    cleanups.push(() => silent.close())
    const address = silent.address() as { readonly port: number }
    const { store } = await open(`redis://:secret@127.0.0.1:${address.port}`)
    await expect(reserve(store)).rejects.toThrow()
  })

  describe.skipIf(inject('redisUrl') === null)('if the server is installed', () => {
    const startServer = async (previous?: RedisServer): Promise<RedisServer> => {
      const server = await startRedisServer(previous)
      cleanups.push(() => server.stop())
      return server
    }

    it('fails if the password is wrong, without logging the password', async () => {
      const url = new URL((await startServer()).url)
      url.password = 'the-wrong-password'
      const { store, log } = await open(url.href)
      await expect(reserve(store)).rejects.toThrow()
      expect(log.lines).not.toHaveLength(0)
      expect(JSON.stringify(log.lines)).not.toContain('the-wrong-password')
    })

    it('reconnects after the server restarts', async () => {
      const server = await startServer()
      const { store } = await open(server.url)
      expect(await reserve(store)).toBe(1)
      await server.stop()
      await expect.poll(() => reserve(store).catch(() => 'failed')).toBe('failed')
      await startServer(server)
      await expect.poll(() => reserve(store).catch(() => 'failed'), { timeout: 10_000 }).toBe(1)
    })

    it('replaces a connection on which the server has stopped responding', async () => {
      const server = await startServer()
      const { store } = await open(server.url)
      expect(await reserve(store)).toBe(1)
      server.child.kill('SIGSTOP')
      await expect(reserve(store)).rejects.toThrow('no response within 1000 ms')
      await expect(reserve(store)).rejects.toThrow()
      server.child.kill('SIGCONT')
      await expect.poll(() => reserve(store).catch(() => 'failed'), { timeout: 10_000 }).toBe(1)
    })
  })
})
