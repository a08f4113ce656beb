import { describe, expect, it } from 'vitest'
import { startWorkerRuntime } from '#dev/worker/worker-runtime.ts'
import { platforms } from '#test/support/gateway-options.ts'
import { bundleModule } from './bundle.ts'
import { makeTour } from './make-tour.ts'
import { expectedTour, startTourGateway } from './tour-gateway.ts'

describe.each(platforms)("the client's tour in Node against the gateway on %s", (platform) => {
  const gateway = startTourGateway({ platform })

  it('has the results that the README and the tour promise', { timeout: 60_000 }, async () => {
    expect(await makeTour(await gateway.signUpForTour())).toEqual(expectedTour)
  })
})

describe("the client's tour in a Worker", () => {
  const gateway = startTourGateway()

  it('has the results that the README and the tour promise', { timeout: 60_000 }, async () => {
    const { text } = await bundleModule(`
      import { makeTour } from './make-tour.ts'
      const pay = (url) => fetch(url + '/pay', { method: 'POST', redirect: 'manual' })
      const tour = async (request) => makeTour({ ...(await request.json()), pay })
      export default { fetch: async (request) => Response.json(await tour(request)) }`)
    const worker = startWorkerRuntime([{ name: 'worker.js', contents: text }])
    try {
      const body = JSON.stringify(await gateway.signUpForTour())
      const response = await fetch(await worker.ready, { method: 'POST', body })
      expect(await response.json()).toEqual(expectedTour)
    } finally {
      await worker.dispose()
    }
  })
})
