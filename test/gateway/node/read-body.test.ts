import { createServer } from 'node:http'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type BodyBudget, createBodyBudget } from '#gateway/edge/body-budget.ts'
import type { BodyLimits } from '#gateway/edge/body-deadline.ts'
import { ClientGoneError } from '#gateway/edge/client-gone.ts'
import { readBody } from '#gateway/node/read-body.ts'
import { progressLimits } from '#test/support/progress-limits.ts'
import { openRawClient, post } from '#test/support/raw-client.ts'

const codeOf = (error: unknown) => (error instanceof Error && 'code' in error ? error.code : error)

/** A server that reads one body and tells how that went. */
const startReading = async (limits: BodyLimits, budget: BodyBudget = createBodyBudget(1000)) => {
  const read = Promise.withResolvers<Uint8Array>()
  read.promise.catch(() => {})
  const server = createServer((incoming, outgoing) => {
    readBody(incoming, outgoing, budget.reserve(), limits)
      .then(read.resolve, read.reject)
      .finally(() => outgoing.end())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  const client = await openRawClient(typeof address === 'object' && address ? address.port : 0)
  onTestFinished(() => {
    client.socket.destroy()
  })
  return { client, body: read.promise }
}

const chunked = 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n'

describe('reading a body on Node', () => {
  it.each([
    ['with a length', post('/', 'whole')],
    ['in chunks', `${chunked}2\r\nwh\r\n3\r\nole\r\n0\r\n\r\n`],
  ])('gives its bytes, up to the limit and not beyond: %s', async (_, message) => {
    const fits = await startReading({ maxBytes: 5 })
    fits.client.send(message)
    expect(Buffer.from(await fits.body).toString()).toBe('whole')
    const exceeds = await startReading({ maxBytes: 4 })
    exceeds.client.send(message)
    expect(await exceeds.body.catch(codeOf)).toBe('body_too_large')
  })

  it('gives no bytes for an empty one', async () => {
    const { client, body } = await startReading({ maxBytes: 5 })
    client.send(post('/', ''))
    expect(await body).toHaveLength(0)
  })

  it('refuses by the announced length before a byte has come', async () => {
    const { client, body } = await startReading({ maxBytes: 5 })
    client.send('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 6\r\n\r\n')
    expect(await body.catch(codeOf)).toBe('body_too_large')
  })

  it('bounds the pauses in it, not its time', async () => {
    const { client, body } = await startReading({
      maxBytes: 50,
      progress: progressLimits({ pauseTimeoutMs: 100 }),
    })
    client.send('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 50\r\n\r\n')
    let pieces = 0
    const sending = setInterval(() => {
      client.send('x')
      if (++pieces === 6) clearInterval(sending)
    }, 40)
    const from = performance.now()
    expect(await body.catch(codeOf)).toBe('request_timeout')
    expect(performance.now() - from).toBeGreaterThan(300)
  })

  /** Sends a byte each 20 ms until the body has failed; resolves to its error. */
  const dripInto = async ({ client, body }: Awaited<ReturnType<typeof startReading>>) => {
    client.send('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n')
    const dripping = setInterval(() => client.send('x'), 20)
    const error = await body.catch((caught: unknown) => caught)
    clearInterval(dripping)
    return codeOf(error)
  }

  it('refuses one that keeps moving but is too slow on average', async () => {
    const progress = progressLimits({ gracePeriodMs: 150, minBytesPerS: 1000 })
    expect(await dripInto(await startReading({ maxBytes: 1000, progress }))).toBe('request_timeout')
  })

  it('refuses one that is not complete within its time', async () => {
    expect(await dripInto(await startReading({ maxBytes: 1000, timeoutMs: 150 }))).toBe('request_timeout')
  })

  it('refuses one for which the budget has no room, and reads the rest of it', async () => {
    const budget = createBodyBudget(10)
    const { client, body } = await startReading({ maxBytes: 50 }, budget)
    client.send('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 30\r\n\r\n0123456789')
    await expect.poll(() => budget.usedBytes).toBe(10)
    client.send('0123456789')
    expect(await body.catch(codeOf)).toBe('gateway_busy')
    client.send('0123456789')
    expect((await client.answer()).status).toBe(200)
  })

  it('takes nothing of the budget for a length that is only announced', async () => {
    const budget = createBodyBudget(10)
    const { client, body } = await startReading({ maxBytes: 50 }, budget)
    client.send('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 30\r\n\r\n01')
    await expect.poll(() => budget.usedBytes).toBe(2)
    client.socket.destroy()
    await expect(body).rejects.toBeInstanceOf(ClientGoneError)
  })

  it('tells a client that hung up from one that misbehaved', async () => {
    const { client, body } = await startReading({ maxBytes: 50 })
    client.send('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 50\r\n\r\npart')
    setTimeout(() => client.socket.destroy(), 20)
    await expect(body).rejects.toBeInstanceOf(ClientGoneError)
  })
})
