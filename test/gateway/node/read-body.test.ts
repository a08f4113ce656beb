import { createServer, type ServerOptions } from 'node:http'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type BodyBudget, createBodyBudget } from '#gateway/edge/body-budget.ts'
import type { BodyLimits } from '#gateway/edge/body-deadline.ts'
import { readBody } from '#gateway/node/read-body.ts'
import { ClientGoneError } from '#gateway/request/context.ts'
import { progressLimits } from '#test/support/progress-limits.ts'
import { openRawClient, post } from '#test/support/raw-client.ts'

const codeOf = (error: unknown) => (error instanceof Error && 'code' in error ? error.code : error)

/** Starts a server that reads one body; `body` resolves to its bytes or rejects with its error. */
const startReading = async (
  limits: BodyLimits,
  budget: BodyBudget = createBodyBudget(1000),
  options: ServerOptions = {},
) => {
  const read = Promise.withResolvers<Uint8Array>()
  read.promise.catch(() => {})
  const server = createServer(options, (incoming, outgoing) => {
    readBody(incoming, outgoing, budget.reserve('10.0.0.1'), limits)
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

describe('readBody on Node', () => {
  it.each([true, false])(
    'returns no bytes for a request without a body (optimizeEmptyRequests: %s)',
    async (optimized) => {
      const limits = { maxBytes: 5, progress: progressLimits({}) }
      const { client, body } = await startReading(limits, undefined, { optimizeEmptyRequests: optimized })
      client.send('DELETE / HTTP/1.1\r\nHost: a\r\n\r\n')
      expect(await body).toHaveLength(0)
    },
  )

  it.each([
    ['with Content-Length', post('/', 'whole')],
    ['chunked', `${chunked}2\r\nwh\r\n3\r\nole\r\n0\r\n\r\n`],
  ])('returns a body up to the limit and rejects a longer one: %s', async (_, message) => {
    const fits = await startReading({ maxBytes: 5 })
    fits.client.send(message)
    expect(Buffer.from(await fits.body).toString()).toBe('whole')
    const exceeds = await startReading({ maxBytes: 4 })
    exceeds.client.send(message)
    expect(await exceeds.body.catch(codeOf)).toBe('body_too_large')
  })

  it('returns no bytes for an empty body', async () => {
    const { client, body } = await startReading({ maxBytes: 5 })
    client.send(post('/', ''))
    expect(await body).toHaveLength(0)
  })

  it('rejects a body whose declared length is too large, before any of it arrives', async () => {
    const { client, body } = await startReading({ maxBytes: 5 })
    client.send('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 6\r\n\r\n')
    expect(await body.catch(codeOf)).toBe('body_too_large')
  })

  it('fails after the pause timeout, and has no total timeout unless one is given', async () => {
    const { client, body } = await startReading({
      maxBytes: 50,
      progress: progressLimits({ pauseTimeoutMs: 100 }),
    })
    client.send('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 50\r\n\r\n')
    let chunks = 0
    const sending = setInterval(() => {
      client.send('x')
      if (++chunks === 6) clearInterval(sending)
    }, 40)
    const from = performance.now()
    expect(await body.catch(codeOf)).toBe('request_timeout')
    expect(performance.now() - from).toBeGreaterThan(300)
  })

  /** Sends a byte every 20 ms until reading the body fails; resolves to the error. */
  const sendSlowly = async ({ client, body }: Awaited<ReturnType<typeof startReading>>) => {
    client.send('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n')
    const interval = setInterval(() => client.send('x'), 20)
    const error = await body.catch((caught: unknown) => caught)
    clearInterval(interval)
    return codeOf(error)
  }

  it('rejects a body whose average rate is too low', async () => {
    const progress = progressLimits({ gracePeriodMs: 150, minBytesPerS: 1000 })
    expect(await sendSlowly(await startReading({ maxBytes: 1000, progress }))).toBe('request_timeout')
  })

  it('rejects a body that is not complete within timeoutMs', async () => {
    expect(await sendSlowly(await startReading({ maxBytes: 1000, timeoutMs: 150 }))).toBe('request_timeout')
  })

  it('rejects a body that exceeds the budget, and discards the rest of it', async () => {
    const budget = createBodyBudget(10)
    const { client, body } = await startReading({ maxBytes: 50 }, budget)
    client.send('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 30\r\n\r\n0123456789')
    await expect.poll(() => budget.usedBytes).toBe(10)
    client.send('0123456789')
    expect(await body.catch(codeOf)).toBe('gateway_busy')
    client.send('0123456789')
    expect((await client.receiveResponse()).status).toBe(200)
  })

  it('reserves no budget for declared bytes that have not arrived', async () => {
    const budget = createBodyBudget(10)
    const { client, body } = await startReading({ maxBytes: 50 }, budget)
    client.send('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 30\r\n\r\n01')
    await expect.poll(() => budget.usedBytes).toBe(2)
    client.socket.destroy()
    await expect(body).rejects.toBeInstanceOf(ClientGoneError)
  })

  it('throws ClientGoneError when the client disconnects', async () => {
    const { client, body } = await startReading({ maxBytes: 50 })
    client.send('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 50\r\n\r\npart')
    setTimeout(() => client.socket.destroy(), 20)
    await expect(body).rejects.toBeInstanceOf(ClientGoneError)
  })
})
