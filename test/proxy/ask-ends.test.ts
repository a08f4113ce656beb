import { describe, expect, it } from 'vitest'
import { createCircuitBreaker } from '#proxy/circuit-breaker.ts'
import { replyOk, startRawCore } from '#test/support/raw-core.ts'
import { askRequest, startAsking } from './ask-request.ts'
import { startForwardingGateway, until } from './forwarding-gateway.ts'
import { silent } from './misbehaving-core.ts'

describe('the circuit breaker', () => {
  it("is not opened by the gateway's own requests", async () => {
    const core = await startRawCore()
    const breaker = createCircuitBreaker({ threshold: 2 })
    const gateway = await startForwardingGateway(core.url, { breaker })
    await core.close()
    for (let round = 0; round < 5; round += 1)
      expect(await gateway.transport.ask(askRequest())).toEqual({ kind: 'failed', code: 'core_unavailable' })
    expect(breaker.state()).toBe('closed')
    await gateway.close()
  })

  it("neither closes nor resets its failure count when one of the gateway's own requests succeeds", async () => {
    const breaker = createCircuitBreaker({ threshold: 2, openMs: 60_000 })
    let finish = () => {}
    const { ask } = await startAsking(replyOk, { breaker })
    breaker.recordFailure()
    expect((await ask()).kind).toBe('completed')
    const { core, ask: askSlowly } = await startAsking(
      (socket, request) => {
        finish = () => replyOk(socket, request)
      },
      { breaker },
    )
    const asked = askSlowly()
    await until(() => core.requests.length === 1)
    breaker.recordFailure()
    finish()
    expect((await asked).kind).toBe('completed')
    expect(breaker.state()).toBe('open')
  })
})

describe("one of the gateway's own requests", () => {
  it('closes the connection to the core when its signal is aborted', async () => {
    const { core, ask } = await startAsking(silent)
    const stop = new AbortController()
    const asked = ask({ signal: stop.signal })
    await until(() => core.requests.length === 1)
    stop.abort()
    expect(await asked).toEqual({ kind: 'aborted' })
    await until(() => core.openConnections() === 0)
  })

  it('is not sent if its signal was aborted before it started', async () => {
    const { core, ask } = await startAsking()
    expect(await ask({ signal: AbortSignal.abort() })).toEqual({ kind: 'aborted' })
    expect(core.requests).toEqual([])
  })

  it('closes the connection to the core when the transport is closed', async () => {
    const core = await startRawCore(silent)
    const gateway = await startForwardingGateway(core.url)
    const asked = Array.from({ length: 5 }, () => gateway.transport.ask(askRequest()))
    await until(() => core.requests.length === 4)
    await gateway.close()
    expect(await Promise.all(asked)).toEqual(Array(5).fill({ kind: 'aborted' }))
    expect(await gateway.transport.ask(askRequest())).toEqual({ kind: 'dropped', reason: 'closed' })
    await until(() => core.openConnections() === 0)
    await core.close()
  })
})
