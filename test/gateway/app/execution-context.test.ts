import { expect, it } from 'vitest'
import { composeGateway, createCredentials } from '#gateway/app/compose-gateway.ts'
import { createBodyBudget } from '#gateway/edge/body-budget.ts'
import { createTextRegistry } from '#gateway/observability/metric-family.ts'
import { RequestContext } from '#gateway/request/context.ts'
import type { Platform } from '#gateway/request/platform.ts'
import { fixedControl } from '#gateway/request/route-control.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { createRecordingLog } from '#test/support/recording-log.ts'

const gateway = startTestGateway({ control: 'fixed' })

it('middleware gets the Workers execution context', async () => {
  const work: Promise<unknown>[] = []
  const executionContext = {
    waitUntil: (promise: Promise<unknown>) => void work.push(promise),
    passThroughOnException: () => undefined,
    props: {},
  }
  const bodyBudget = createBodyBudget(1000)
  const { app } = composeGateway({
    settings: gateway.settings,
    log: createRecordingLog(),
    build: { id: '', keys: new Map() },
    registry: createTextRegistry(),
    handled: [],
    nativeTimeoutMs: 1000,
    readiness: { processState: { phase: 'ready' }, readStates: () => Promise.reject() },
    control: fixedControl(),
    coreBreaker: null,
    credentials: createCredentials(gateway.settings),
    loadDescription: async () => '{}',
    platformPages: [],
    adminAccess: 'own-listener',
    bodyBudget,
    mountMiddleware(app) {
      app.use(async ({ executionCtx }, next) => {
        executionCtx.waitUntil(Promise.resolve('after the response'))
        await next()
      })
    },
  })
  const request = new RequestContext({
    method: 'GET',
    target: { path: '/healthz', query: '', isRewritten: false },
    header: () => undefined,
    clientAddress: () => '127.0.0.1',
    bodyBudget,
    read: () => Promise.reject(new Error('no body')),
  })
  const sent: number[] = []
  const platform = {
    method: 'GET',
    sendFetchResponse: async ({ status }: Response) => {
      request.outcome.status = status
      sent.push(status)
    },
    waitForEnd: async () => undefined,
  } as unknown as Platform
  await app.serve({ context: request, platform }, executionContext)
  expect(sent).toEqual([200])
  expect(await Promise.all(work)).toEqual(['after the response'])
})
