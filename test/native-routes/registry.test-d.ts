import { type Handlers, handlers } from '#native-routes/index.ts'

// A compile-time test: each of these must be a type error, and `tsc` fails when one of them no longer is.

const { 'libraries.create': createLibrary, ...allButOne } = handlers

// @ts-expect-error a native row must have a handler
export const withoutHandler: Handlers = allButOne

export const underWrongLabel: Handlers = {
  ...handlers,
  // @ts-expect-error a handler is registered under the label of its contract
  'libraries.list': createLibrary,
}

export const underUnknownLabel: Handlers = {
  ...handlers,
  // @ts-expect-error every label is a row of the route table
  'libraries.rename': createLibrary,
}
