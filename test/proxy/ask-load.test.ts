import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createCircuitBreaker } from '#proxy/circuit-breaker.ts'
import { CoreLoad } from '#proxy/core-load.ts'
import type { AskRequest } from '#proxy/core-response.ts'
import { createResponseTimes, createUndiciTransport } from '#proxy/undici/transport-undici.ts'
import { replyOk, startRawCore } from '#test/support/raw-core.ts'
import { askRequest } from './ask-request.ts'
import { startCoreAndGateway, startForwardingGateway, until } from './forwarding-gateway.ts'
import { silent, thenReset } from './misbehaving-core.ts'

const createSmallLoad = () => new CoreLoad({ minWindowRequests: 1 })

const startAsking = async (reply = replyOk) => {
  const load = createSmallLoad()
  const { core, gateway } = await startCoreAndGateway(reply, { load })
  const { transport } = gateway
  return {
    core,
    transport,
    ask: (changes?: Partial<AskRequest>) => transport.ask(askRequest(changes)),
    presentP95Ms: () => load.read().presentP95Ms,
  }
}

describe("the gateway's own requests count towards the core's load", () => {
  it('with their time from the dispatch to the response head', async () => {
    const { ask, presentP95Ms } = await startAsking((socket, request) => {
      setTimeout(() => replyOk(socket, request), 300)
    })
    await ask()
    expect(presentP95Ms()).toBeGreaterThan(290)
    expect(presentP95Ms()).toBeLessThan(5000)
  })

  it.each([
    ['times out', silent],
    ['is reset', thenReset('')],
  ])('with their whole timeout if a request %s', async (_, reply) => {
    const { ask, presentP95Ms, transport } = await startAsking(reply)
    expect(await ask({ timeoutMs: 200 })).toMatchObject({ kind: 'failed' })
    expect(presentP95Ms()).toBeGreaterThanOrEqual(200)
    expect([transport.mayAsk(), transport.breakerState()]).toEqual([false, 'closed'])
  })

  it('with their whole timeout if the core accepts no connection, but leave the breaker closed', async () => {
    const core = await startRawCore()
    const load = createSmallLoad()
    const gateway = await startForwardingGateway(core.url, { load })
    await core.close()
    const { transport } = gateway
    for (let round = 0; round < 10; round += 1)
      expect(await transport.ask(askRequest())).toEqual({ kind: 'failed', code: 'core_unavailable' })
    expect(load.read().presentP95Ms).toBeGreaterThanOrEqual(5000)
    expect([transport.mayAsk(), transport.breakerState()]).toEqual([false, 'closed'])
    await gateway.close()
  })

  it('even if a request was dropped before its connection failed', async () => {
    const core = await startRawCore()
    const load = createSmallLoad()
    const { transport, close } = await startForwardingGateway(core.url, { load })
    await core.close()
    const asked = transport.ask(askRequest({ connectionTimeoutMs: 0 }))
    // Blocks until the timeout is due, so that its timer runs before the connection's result is read.
    const until10Ms = performance.now() + 10
    while (performance.now() < until10Ms);
    expect(await asked).toEqual({ kind: 'dropped', reason: 'no-connection' })
    await until(() => load.read().presentP95Ms !== null)
    expect(load.read().presentP95Ms).toBeGreaterThanOrEqual(5000)
    await close()
  })

  it('unless a request had ended before its connection was made', async () => {
    const { core, ask, transport, presentP95Ms } = await startAsking()
    const stop = new AbortController()
    const asked = ask({ signal: stop.signal })
    stop.abort()
    expect(await asked).toEqual({ kind: 'aborted' })
    await until(() => transport.readings().lanes.asks.used === 0)
    expect([presentP95Ms(), core.requests]).toEqual([null, []])
  })

  it('unless they were aborted, invalid or dropped as a loop', async () => {
    const { ask, presentP95Ms, core } = await startAsking(silent)
    expect(await ask({ headers: ['X-Name', 'a\nb'] })).toMatchObject({ code: 'bad_request' })
    expect(await ask({ headers: ['Via', '1.1 crossfade-test'] })).toMatchObject({ kind: 'dropped' })
    const stop = new AbortController()
    const asked = ask({ signal: stop.signal })
    await until(() => core.requests.length === 1)
    stop.abort()
    expect(await asked).toEqual({ kind: 'aborted' })
    await sleep(20)
    expect(presentP95Ms()).toBeNull()
  })
})

describe('asking the core', () => {
  const startTransport = () => {
    const clock = { now: 0 }
    const now = () => clock.now
    const load = new CoreLoad({ now })
    const breaker = createCircuitBreaker()
    const transport = createUndiciTransport({
      coreBaseUrl: 'http://127.0.0.1:9',
      viaPseudonym: 'crossfade-test',
      load,
      breaker,
      responseTimes: createResponseTimes(),
    })
    const serve = (seconds: number, timeToHeadMs: number) => {
      for (let request = 0; request < seconds * 50; request += 1) {
        clock.now += 20
        load.record(timeToHeadMs, clock.now)
      }
    }
    return { clock, breaker, transport, serve }
  }

  it('is not permitted while the core is slow', () => {
    const { transport, serve } = startTransport()
    expect(transport.mayAsk()).toBe(true)
    serve(120, 10)
    expect(transport.mayAsk()).toBe(true)
    serve(5, 50)
    expect(transport.mayAsk()).toBe(false)
    serve(295, 50)
    expect(transport.mayAsk()).toBe(false)
    serve(5, 10)
    expect(transport.mayAsk()).toBe(true)
  })

  it('is not permitted while the circuit breaker is open', () => {
    const { breaker, transport } = startTransport()
    breaker.recordHang()
    expect([breaker.state(), transport.mayAsk()]).toEqual(['open', false])
  })

  it('is permitted again five minutes after the last request to a slow core', () => {
    const { clock, transport, serve } = startTransport()
    serve(120, 10)
    serve(10, 50)
    clock.now += 290_000
    expect(transport.mayAsk()).toBe(false)
    clock.now += 20_000
    expect(transport.mayAsk()).toBe(true)
  })
})
