import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect, Server as NetServer, type Socket } from 'node:net'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { warmUp } from '#gateway/node/warm-up.ts'
import { createCircuitBreaker } from '#proxy/circuit-breaker.ts'
import { createViaPseudonym } from '#proxy/headers/header-rules.ts'
import { createCorePool } from '#proxy/undici/core-pool.ts'
import { checksumTables } from '#test/support/checksum-tables.ts'
import { startTestGateway, type TestGateway } from '#test/support/gateway.ts'

// A gateway writes it ten seconds after its start, so one of two gateways may already have done so.
const writtenLater = 'public.core_usage_start'

const listFilledTables = async ({ database }: TestGateway) =>
  Object.entries(await checksumTables(database.sql)).flatMap(([name, checksum]) =>
    checksum === null || name === writtenLater ? [] : [name],
  )

describe('a gateway that warms up', () => {
  const gateway = startTestGateway({ core: 'recording', warmsUp: true })
  const coldGateway = startTestGateway({ core: 'recording' })
  const loggedRequests = () => gateway.log.lines.filter(({ message }) => message === 'request')

  it('has read the database before its first request, and written nothing', async () => {
    const queries = await gateway.database.sql`
      select query from pg_stat_activity where datname = current_database() and query like '%from "libraries"%'`
    expect(queries).not.toEqual([])
    expect(await listFilledTables(gateway)).toEqual(await listFilledTables(coldGateway))
  })

  it("forwards, logs and authenticates its clients' requests, but not those of the warm-up", async () => {
    expect(gateway.core.requests).toEqual([])
    expect(loggedRequests()).toEqual([])
    const { body } = await gateway.requestAdmin('GET', '/metrics')
    expect(body).toContain('# TYPE crossfade_request_duration_seconds histogram')
    expect(body).not.toMatch(/^crossfade_request_duration_seconds_count/m)
    expect(body).toMatch(/^crossfade_requests_in_flight 0$/m)

    await gateway.request('GET', '/v1/none')
    expect(gateway.core.requests.map(({ target }) => target)).toEqual(['/v1/none'])
    await expect.poll(loggedRequests).toHaveLength(1)
    expect(await gateway.request('GET', '/v1/libraries/lib_none')).toMatchObject({ status: 401 })
  })
})

describe('a warm-up', () => {
  const coreOptions = {
    timeoutMs: 1000,
    probePath: '/',
    viaPseudonym: createViaPseudonym('secret'),
    publicBaseUrl: null,
    createBreaker: () => createCircuitBreaker(),
  }
  const connectTo = (url: string) => createCorePool({ ...coreOptions, coreBaseUrls: [url] })

  it('gives up if a request gets no response', async () => {
    const state = { transport: null }
    await warmUp(createServer(), state, connectTo)
    expect(state.transport).toBe(null)
  })

  it('does not keep the gateway from starting if it fails', async () => {
    const state = { transport: null }
    const failToConnect = () => {
      throw new Error('no core')
    }
    await warmUp(createServer(), state, failToConnect)
    expect(state.transport).toBe(null)
  })

  it('closes a connection from another process, whose requests would need no token', async () => {
    const server = createServer()
    const accepted: Socket[] = []
    server.on('connection', (socket) => accepted.push(socket))
    const listened = vi.spyOn(NetServer.prototype, 'listen')
    onTestFinished(() => listened.mockRestore())
    const warmingUp = warmUp(server, { transport: null }, connectTo)
    await expect.poll(() => accepted).toHaveLength(1)
    const [, entrance] = listened.mock.contexts as NetServer[]
    const intruder = connect((entrance!.address() as AddressInfo).port, '127.0.0.1')
    await once(intruder, 'close')
    expect(accepted).toHaveLength(1)
    await warmingUp
  })
})
