import { startTestGateway } from '#test/support/gateway.ts'
import type { TestGatewayOptions } from '#test/support/gateway-options.ts'
import { startTestJobs } from '#test/support/jobs.ts'
import { wav } from '#test/support/media/audio-files.ts'
import type { makeTour, TourOptions } from './make-tour.ts'

/** Pays in the same way as the form on the provider's page. */
export const pay = async (checkoutUrl: string) => {
  const { status } = await fetch(`${checkoutUrl}/pay`, { method: 'POST', redirect: 'manual' })
  return status
}

export const startTourGateway = (options: TestGatewayOptions = {}) => {
  const gateway = startTestGateway({ core: 'sandbox', storage: true, billing: true, ...options })
  startTestJobs(gateway)
  return {
    url: () => gateway.url,
    async signUpForTour(): Promise<TourOptions> {
      const owner = await gateway.signUp()
      const buyer = await gateway.signUp({ plan: 'free' })
      return {
        baseUrl: gateway.url,
        ownerToken: owner.token,
        buyerToken: buyer.token,
        bytes: [...wav({ seconds: 2 })],
        pay,
      }
    },
  }
}

export const expectedTour: Awaited<ReturnType<typeof makeTour>> = {
  unauthenticated: 'unauthorized',
  upload: { names: ['Demos'], titles: ['Night Drive'], status: 'finalized', sent: 1, playback: 'ready' },
  waveform: { channels: 1, hasPeaks: true, played: 100 },
  link: { title: 'Night Drive', played: 100, plays: 1, revoked: 'track_link_unavailable' },
  pack: { locked: 'access_code_required', titles: ['Night Drive'], status: 'queued', invitations: 1 },
  billing: {
    before: 'entitlement_required',
    planId: 'pro',
    isShared: true,
    canceled: true,
    resumed: false,
    mode: 'switched',
    portal: true,
  },
  catalogue: { hasFindings: true, last: 'done', messages: 4, removed: 'analysis_thread_not_found' },
}
