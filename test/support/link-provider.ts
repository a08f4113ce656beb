import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

interface ShortLink {
  readonly id: string
  readonly externalId: string
  readonly tenantId: string
  key: string
  url: string
}

// The provider chooses a short key if the request has none.
const defaultKey = () => Math.random().toString(36).slice(2, 9)

interface Click {
  readonly externalId: string
  readonly at: string
  readonly country: string
}

type Mode = 'healthy' | 'down' | 'failing' | 'stalled' | 'malformed' | 'redirecting'

const readBody = async (request: IncomingMessage) => {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part)
  return parts.length === 0 ? null : JSON.parse(Buffer.concat(parts).toString())
}

const countBy = (clicks: readonly Click[], getKey: (click: Click) => string) => {
  const counts: Record<string, number> = {}
  for (const click of clicks) counts[getKey(click)] = (counts[getKey(click)] ?? 0) + 1
  return Object.entries(counts)
}

/** Starts the part of a link provider's API that the gateway uses. Its mode can make it fail. */
export const startLinkProvider = async (apiKey: string) => {
  const links: ShortLink[] = []
  const clicks: Click[] = []
  const requests: string[] = []
  let mode: Mode = 'healthy'

  const analyse = (query: URLSearchParams) => {
    const ids = query.get('linkId')?.split(',')
    const matchingLinks = links.filter(
      ({ id, tenantId }) => ids?.includes(id) ?? tenantId === query.get('tenantId'),
    )
    const findLink = ({ externalId }: Click) => matchingLinks.find((link) => link.externalId === externalId)
    const [start = '', end = ''] = [query.get('start') ?? '', query.get('end') ?? '']
    const found = clicks.filter((click) => findLink(click) && click.at >= start && click.at <= end)
    const by = {
      timeseries: () =>
        countBy(found, ({ at }) => at.slice(0, 13)).map(([hour, count]) => ({
          start: `${hour}:00:00.000Z`,
          clicks: count,
        })),
      top_links: () =>
        countBy(found, (click) => findLink(click)!.id).map(([id, count]) => ({ id, clicks: count })),
      countries: () =>
        countBy(found, ({ country }) => country).map(([country, count]) => ({ country, clicks: count })),
    }
    return by[query.get('groupBy') as keyof typeof by]()
  }

  const createResponse = async (request: IncomingMessage): Promise<[number, unknown]> => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://provider')
    const route = `${request.method} ${decodeURIComponent(pathname)}`
    requests.push(route)
    if (request.headers.authorization !== `Bearer ${apiKey}`) return [401, {}]
    const body = await readBody(request)
    if (mode === 'failing') return [500, { error: { message: JSON.stringify(body) } }]
    if (mode === 'malformed') return [200, { unheard: 'of' }]
    if (mode === 'redirecting') return [307, {}]
    if (route === 'POST /links') {
      const { key = defaultKey(), externalId } = body
      if (links.some((link) => link.key === key || link.externalId === externalId)) return [409, {}]
      links.push({ ...body, key, id: `link_${links.length}` })
      return [200, links.at(-1)]
    }
    const updated = links.find(({ externalId }) => route === `PATCH /links/ext_${externalId}`)
    if (updated) {
      Object.assign(updated, body)
      return [200, updated]
    }
    if (route === 'GET /links') {
      const own = links.filter(({ tenantId }) => tenantId === searchParams.get('tenantId'))
      const after = own.findIndex(({ id }) => id === searchParams.get('startingAfter')) + 1
      return [200, own.slice(after, after + Number(searchParams.get('pageSize')))]
    }
    return route === 'GET /analytics' ? [200, analyse(searchParams)] : [404, {}]
  }

  const server = createServer(async (request, response) => {
    if (mode === 'down') return void request.destroy()
    const [status, body] = await createResponse(request)
    if (mode === 'stalled') return
    response
      .writeHead(status, { 'content-type': 'application/json', location: '/elsewhere' })
      .end(JSON.stringify(body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    links,
    requests,
    /** Where the short link with this key redirects a visitor; null if no short link has the key. */
    follow: (key: string) => links.find((link) => link.key === key.toLowerCase())?.url ?? null,
    click: (externalId: string, at: string, country: string) => clicks.push({ externalId, at, country }),
    setMode: (next: Mode) => {
      mode = next
    },
    close: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(resolve))
    },
  }
}
