import { Agent, request } from 'undici'
import type { Label } from '#contracts/route-table.ts'
import { createRandom } from '#test/support/random-choices.ts'
import type { Instance } from './instance.ts'
import type { Fleet } from './open-fleet.ts'

export interface LoadAccount {
  readonly accountId: string
  readonly token: string
}

/** Times are in Unix milliseconds. */
export interface LoadSample {
  readonly instance: Instance
  readonly label: Label
  readonly accountId: string
  readonly sentAt: number
  /** 0 if the connection failed. */
  readonly status: number
  readonly requestId: string | null
  readonly runtime: string | null
}

/** The requested routes and their paths. All are reads that both sides serve. */
export const loadRoutes = {
  'tracks.list': '/v1/tracks',
  'libraries.list': '/v1/libraries',
  'packs.list': '/v1/packs',
} as const satisfies { readonly [L in Label]?: string }
export type LoadRoute = keyof typeof loadRoutes

interface LoadOptions {
  readonly accounts: readonly LoadAccount[]
  readonly routes?: readonly LoadRoute[]
  readonly rate?: number
}

const textOf = (value: string | string[] | undefined) => (typeof value === 'string' ? value : null)

export const sendRequest = async (
  dispatcher: Agent,
  instance: Instance,
  label: LoadRoute,
  { accountId, token }: LoadAccount,
): Promise<LoadSample> => {
  const sent = { instance, label, accountId, sentAt: Date.now() }
  try {
    const headers = { authorization: `Bearer ${token}` }
    const response = await request(instance.url + loadRoutes[label], { dispatcher, headers })
    await response.body.dump()
    return {
      ...sent,
      status: response.statusCode,
      requestId: textOf(response.headers['x-request-id']),
      runtime: textOf(response.headers['x-service-core-runtime']),
    }
  } catch {
    return { ...sent, status: 0, requestId: null, runtime: null }
  }
}

export const createAccounts = (fleet: Pick<Fleet, 'mintToken'>, ids: readonly string[]) =>
  Promise.all(ids.map(async (accountId) => ({ accountId, token: await fleet.mintToken(accountId) })))

const connectionsPerInstance = 8

export const createConnections = () => new Agent({ connections: connectionsPerInstance })

export const startLoad = (
  { instances, stopBefore }: Pick<Fleet, 'instances' | 'stopBefore'>,
  {
    accounts,
    routes = ['tracks.list', 'libraries.list', 'tracks.list', 'packs.list'],
    rate = 40,
  }: LoadOptions,
) => {
  const dispatcher = createConnections()
  const random = createRandom(7)
  const samples: LoadSample[] = []
  const inFlight = new Set<Promise<unknown>>()
  let count = 0
  const sendNext = () => {
    const label = routes[count % routes.length]
    count += 1
    for (const instance of instances) {
      const account = accounts[random.below(accounts.length)]
      if (!label || !account) continue
      const sent = sendRequest(dispatcher, instance, label, account).then((sample) => {
        samples.push(sample)
        inFlight.delete(sent)
      })
      inFlight.add(sent)
    }
  }
  const timer = setInterval(sendNext, 1000 / rate)
  stopBefore(() => clearInterval(timer))
  return {
    samples,
    async stop() {
      clearInterval(timer)
      await Promise.all(inFlight)
      await dispatcher.close()
    },
  }
}
