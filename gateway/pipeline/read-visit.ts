// Optimized: see "GET of a share link by its token" in bench/results/sharing.md.
import type { Visit } from '#native-routes/visits.ts'
import { parseAddress } from '#proxy/headers/trusted-proxies.ts'
import type { RequestContext } from '../request/context.ts'

// A client with one IPv6 address has the 2^64 addresses of its network and could use another one for each request.
const toNetwork = (address: string) => {
  if (!address.includes(':')) return address
  const bytes = parseAddress(address)?.toByteArray()
  return bytes?.length === 16 ? bytes.slice(0, 8).join(':') : (bytes?.join('.') ?? address)
}

/**
 * Reads who visits a shared link. Of several access codes in the query the first one counts. The values are computed
 * when they are needed, because few routes need them. They are methods, because V8
 * gives each object literal with getters its own hidden class, which keeps the whole request alive for a while.
 */
export const readVisit = ({
  clientAddress,
  query,
}: Pick<RequestContext, 'clientAddress' | 'query'>): Visit => ({
  client: () => toNetwork(clientAddress()),
  accessCode: () => new URLSearchParams(query).get('accessCode') || undefined,
})
