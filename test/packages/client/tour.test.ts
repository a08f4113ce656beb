import { describe, expect, it } from 'vitest'
import { runtimes } from '#test/support/gateway.ts'
import { makeTour } from './make-tour.ts'
import { expectedTour, startTourGateway } from './tour-gateway.ts'

describe.each(runtimes)('the tour with the client in Node against the gateway on %s', (runtime) => {
  const gateway = startTourGateway({ runtime })

  it('sees what the README and the tour promise', { timeout: 60_000 }, async () => {
    expect(await makeTour(await gateway.signUpForTour())).toEqual(expectedTour)
  })
})
