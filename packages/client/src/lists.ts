import type { Arguments, CallInit, Client, PathOf, ResultOf } from './calls.ts'
import type { paths } from './schema.ts'

type ListOf<P extends PathOf<'get'>> = ResultOf<paths[P]['get']>

type PathOfPages = {
  [P in PathOf<'get'>]: 'nextCursor' extends keyof ListOf<P> ? P : never
}[PathOf<'get'>]

type PathOfRecords = {
  [P in PathOf<'get'>]: ListOf<P> extends { readonly records: readonly unknown[] } ? P : never
}[PathOf<'get'>]

type ListArguments<P extends PathOf<'get'>> = Arguments<CallInit<paths[P]['get']>>
type RecordOf<P extends PathOfRecords> = ListOf<P>['records'][number]

type RecordsOf<P extends PathOfRecords> = { readonly records: readonly RecordOf<P>[] }

interface UntypedInit {
  readonly params?: { readonly query?: object }
}
interface Cursor {
  readonly nextCursor?: string | null
}
type GetPage<Page> = (path: string, init: UntypedInit) => Promise<Page & Cursor>

// The path can be that of any list, so the compiler cannot know what its pages contain.
const getPageOf = <Page>(client: Client) => client.get as unknown as GetPage<Page>

interface Entry {
  readonly id?: string
  /** In a list of shared libraries, a library may appear twice, but each of its shares only once. */
  readonly shareId?: string
}

const listsOf = (page: object) =>
  Object.entries(page).filter((field): field is [string, Entry[]] => Array.isArray(field[1]))

// Far more than any list that the core returns as a whole. A longer one, such as that of events, is native's alone.
const maxRemembered = 50_000

// The core may serve a later page. If it ignores the cursor, it returns the whole list once more.
const createRepeatFilter = () => {
  const seen = new Set<string>()
  const isNew = ({ id, shareId = id }: Entry) => {
    if (shareId === undefined) return true
    if (seen.has(shareId)) return false
    if (seen.size < maxRemembered) seen.add(shareId)
    return true
  }
  return <Page extends object>(page: Page): Page => ({
    ...page,
    ...Object.fromEntries(listsOf(page).map(([name, entries]) => [name, entries.filter(isNew)])),
  })
}

async function* readPages<Page extends object>(client: Client, path: string, init: UntypedInit = {}) {
  const getPage = getPageOf<Page>(client)
  const withoutRepeats = createRepeatFilter()
  let cursor: string | null = null
  do {
    const query: object = { limit: 100, ...init.params?.query, ...(cursor === null ? {} : { cursor }) }
    const page: Page & Cursor = await getPage(path, { ...init, params: { ...init.params, query } })
    yield withoutRepeats(page)
    cursor = page.nextCursor ?? null
  } while (cursor !== null)
}

/**
 * Reads a list's pages one by one, each on demand. A page has 100 entries unless `limit` is given. Each entry appears
 * only once.
 */
export const listPages = <P extends PathOfPages>(
  client: Client,
  path: P,
  ...[init]: ListArguments<P>
): AsyncGenerator<ListOf<P>, void, void> => readPages<ListOf<P>>(client, path, init)

/** Reads a list's records one by one, each only once, and fetches each page on demand. */
export async function* listRecords<P extends PathOfRecords>(
  client: Client,
  path: P,
  ...[init]: ListArguments<P>
): AsyncGenerator<RecordOf<P>, void, void> {
  for await (const { records } of readPages<RecordsOf<P>>(client, path, init)) yield* records
}
