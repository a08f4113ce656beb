import { isObject } from '#shared/json.ts'
import { isResponse, jsonOf, type Observation, type RecordedResponse } from '../../diff/recorded-response.ts'
import type { ScenarioRequest } from './scenario.ts'
import { listQueryPairs } from './side.ts'

/**
 * `default` first requests a page of one record, and then sends no limit, so that later pages have the documented size.
 */
export type PageSize = number | 'default'

const defaultPageSize = 100
const maxPages = 100

type PageQuery = Readonly<Record<string, string>>

const withQuery = (request: ScenarioRequest, page: PageQuery): ScenarioRequest => ({
  ...request,
  query: [...listQueryPairs(request), ...Object.entries(page)],
})

interface Page {
  readonly response: RecordedResponse
  /** Undefined if the side did not divide the list into pages. */
  readonly nextCursor: unknown
  readonly body: Readonly<Record<string, unknown>>
}

const toPage = (response: Observation): Page | null => {
  if (!isResponse(response) || response.status !== 200) return null
  const body = jsonOf(response)
  return isObject(body) ? { response, nextCursor: body.nextCursor, body } : null
}

const countRecords = ({ body }: Page) =>
  Object.values(body).reduce<number>((sum, value) => sum + (Array.isArray(value) ? value.length : 0), 0)

const join = (earlier: Page['body'], { body }: Page) =>
  Object.fromEntries(
    Object.entries(body).map(([name, value]) => {
      const records = earlier[name]
      return [name, Array.isArray(value) && Array.isArray(records) ? [...records, ...value] : value]
    }),
  )

// Replaces the body with one that no contract allows, so that the side that returned the pages is blamed.
const withFault = (response: RecordedResponse, text: string): Observation => ({
  ...response,
  body: { kind: 'text', text },
})

const isServedNatively = ({ headers }: RecordedResponse) => headers['x-service-core-runtime'] === 'native'

const findFault = (page: Page, number: number, size: number) => {
  const count = countRecords(page)
  if (page.nextCursor !== null && count !== size)
    return `page ${number} has ${count} records instead of ${size}`
  if (count > size) return `page ${number} has ${count} records, more than ${size}`
  if (count === 0 && number > 1) return `page ${number} is empty`
  return number === maxPages && page.nextCursor !== null ? `there are more than ${maxPages} pages` : null
}

/**
 * Reads a list page by page and returns the pages as one response. A core may ignore `limit` and return the whole list;
 * native's pages must add up to the same list. If a page has the wrong size, returns a body that no contract allows.
 */
export const readPages = async (
  request: ScenarioRequest,
  size: PageSize,
  send: (request: ScenarioRequest) => Promise<Observation>,
): Promise<Observation> => {
  const sized = size === 'default' ? {} : { limit: String(size) }
  let query: PageQuery = { limit: '1', ...sized }
  let body: Page['body'] = {}
  for (let number = 1; ; number++) {
    const response = await send(withQuery(request, query))
    const page = toPage(response)
    if (page === null) return response
    if (page.nextCursor === undefined)
      return isServedNatively(page.response) ? withFault(page.response, 'the list is not paged') : response
    const fault = findFault(page, number, Number(query.limit ?? defaultPageSize))
    if (fault !== null) return withFault(page.response, fault)
    body = join(body, page)
    if (page.nextCursor === null) return { ...page.response, body: { kind: 'json', value: body } }
    query = { ...sized, cursor: String(page.nextCursor) }
  }
}
