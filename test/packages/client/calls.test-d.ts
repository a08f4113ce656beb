import { expectTypeOf, it } from 'vitest'
import { type Client, type components, listPages, listRecords } from '#client/index.ts'

type Schemas = components['schemas']

const client = {} as Client
const params = { path: { trackId: 'trk_1' } }

it("a call has the types of its operation's parameters, body and response", () => {
  const created = () => client.post('/v1/tracks', { body: { title: 'a', artist: 'b' }, retries: 0 })
  expectTypeOf(created).returns.resolves.toEqualTypeOf<Schemas['Track']>()
  const removed = () => client.delete('/v1/tracks/{trackId}', { params })
  expectTypeOf(removed).returns.resolves.toEqualTypeOf<undefined>()
  const libraries = () => client.get('/v1/libraries')
  expectTypeOf(libraries).returns.resolves.toHaveProperty('records')
})

it('a call accepts no unknown path, method or option, and requires its body and parameters', () => {
  // @ts-expect-error There is no such path.
  const unknownPath = () => client.get('/v1/nothing')
  // @ts-expect-error The path does not have this method.
  const unknownMethod = () => client.put('/v1/tracks', { body: { title: 'a', artist: 'b' } })
  // @ts-expect-error The body is required.
  const noBody = () => client.post('/v1/tracks')
  // @ts-expect-error The artist is required.
  const incompleteBody = () => client.post('/v1/tracks', { body: { title: 'a' } })
  // @ts-expect-error The parameter is required.
  const noParameter = () => client.get('/v1/tracks/{trackId}')
  // @ts-expect-error There is no such option.
  const unknownOption = () => client.get('/v1/tracks/{trackId}', { params, retry: 1 })
  expectTypeOf([unknownPath, unknownMethod, noBody, incompleteBody, noParameter, unknownOption]).toBeArray()
})

it('a list has the type of its records or pages', () => {
  const records = () => listRecords(client, '/v1/tracks')
  expectTypeOf(records).returns.toEqualTypeOf<AsyncGenerator<Schemas['Track'], void, void>>()
  const pages = () => listPages(client, '/v1/tracks/{trackId}/stems', { params })
  expectTypeOf(pages).returns.toExtend<AsyncGenerator<{ readonly stems: readonly object[] }, void, void>>()
  // @ts-expect-error This path returns no list.
  const noList = () => listRecords(client, '/v1/billing/status')
  expectTypeOf(noList).toBeFunction()
})
