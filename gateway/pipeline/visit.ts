// Optimized: see "GET of a share link by its token" in bench/results/sharing.md.
import type { Visit } from '#native-routes/visits.ts'
import { parseAddress } from '#proxy/headers/trusted-proxies.ts'
import type { RequestContext } from '../request/context.ts'

// Whoever has one address of IPv6 has the 2^64 of its network and could use another for each request.
const networkOf = (address: string) => {
  if (!address.includes(':')) return address
  const bytes = parseAddress(address)?.toByteArray()
  return bytes?.length === 16 ? bytes.slice(0, 8).join(':') : (bytes?.join('.') ?? address)
}

/**
 * Who stands behind a request for something shared. Of a code given several times the first counts. Nothing is read
 * before it is asked for: few routes do. These are methods because an object literal with getters of its own gets a
 * hidden class of its own, an old object that keeps the whole request alive for a while.
 */
export const readVisit = ({
  clientAddress,
  query,
}: Pick<RequestContext, 'clientAddress' | 'query'>): Visit => ({
  client: () => networkOf(clientAddress()),
  accessCode: () => new URLSearchParams(query).get('accessCode') || undefined,
})
