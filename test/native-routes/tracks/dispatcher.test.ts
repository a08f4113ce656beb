import { describe, expect, it } from 'vitest'
import { errorBody } from '#test/support/error-body.ts'
import { insertTrackOf } from '#test/support/fixtures.ts'
import { startTestGateway } from '#test/support/gateway.ts'

const allowedMethods = {
  tags: 'GET, HEAD',
  peaks: 'GET, HEAD',
  rights: 'GET, HEAD',
  lyrics: 'GET, HEAD, PUT',
  stems: 'GET, HEAD',
  versions: 'GET, HEAD',
  'media-assets': 'GET, HEAD',
  'split-sheet': 'GET, HEAD, PUT',
  metadata: 'PATCH',
  'playback-url': 'GET, HEAD',
  'download-url': 'GET, HEAD',
  'processing-status': 'GET, HEAD',
  'share-links': 'GET, HEAD, POST',
}

const sortMethods = (allow: string | null) => (allow ?? '').split(', ').sort().join(', ')

describe('a request for an unsupported resource or method of a track', () => {
  // The core has more methods and resources, but the dispatcher must not forward requests for them.
  const gateway = startTestGateway({ core: 'sandbox' })

  const signedUp = async () => {
    const alice = await gateway.signUp()
    return { alice, trackId: await insertTrackOf(gateway.database.sql, alice.accountId) }
  }

  it.each(['tags', 'nonsense'])(
    'gets a 401 without a token, before any other check: %s',
    async (resource) => {
      const { trackId } = await signedUp()
      for (const method of ['GET', 'DELETE']) {
        const response = await gateway.request(method, `/v1/tracks/${trackId}/${resource}`)
        expect(response.status).toBe(401)
        expect(response.body).toEqual(errorBody('unauthorized'))
      }
    },
  )

  it.each(['tags', 'nonsense', 'metadata'])(
    "gets a 404 for another account's track: %s",
    async (resource) => {
      const [{ trackId }, bob] = [await signedUp(), await gateway.signUp()]
      for (const id of [trackId, crypto.randomUUID(), 'no%20id']) {
        for (const method of ['GET', 'POST', 'DELETE']) {
          const response = await gateway.request(method, `/v1/tracks/${id}/${resource}`, { token: bob.token })
          expect(response.status).toBe(404)
          expect(response.body).toEqual(errorBody('track_not_found'))
        }
      }
    },
  )

  it('gets a 404 for an unknown resource', async () => {
    const { alice, trackId } = await signedUp()
    for (const resource of ['nonsense', 'TAGS', 'constructor', '__proto__', 'owner']) {
      const response = await alice.get(`/v1/tracks/${trackId}/${resource}`)
      expect(response.status).toBe(404)
      expect(response.body).toEqual(errorBody('track_resource_not_found'))
      expect(response.headers.get('x-service-native-route')).toBe('unmatched')
      expect(response.headers.get('x-service-core-runtime')).toBe('native')
    }
  })

  it.each(Object.entries(allowedMethods))(
    'gets a 405 with the allowed methods of %s',
    async (resource, allow) => {
      const { alice, trackId } = await signedUp()
      const response = await alice.delete(`/v1/tracks/${trackId}/${resource}`)
      expect(response.status).toBe(405)
      expect(response.body).toEqual(errorBody('method_not_allowed'))
      expect(sortMethods(response.headers.get('allow'))).toBe(allow)
      expect(response.headers.get('x-service-native-route')).toBe('unmatched')
    },
  )
})
