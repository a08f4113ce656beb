import { type Handlers, handlers } from '#native-routes/index.ts'

// A compile-time test: each of these must be a type error, and `tsc` fails when one of them no longer is.

const { 'libraries.create': createLibrary, ...allButOne } = handlers

// @ts-expect-error a native row must have a handler
export const withoutHandler: Handlers = allButOne

const { 'webhooks.email': receiveEmailEvent, ...allButEmail } = handlers

// @ts-expect-error a native-only row must have a handler
export const withoutWebhook: Handlers = allButEmail

export const underWrongRuntime: Handlers = {
  ...handlers,
  // @ts-expect-error the handler of a signed route is a webhook
  'libraries.create': receiveEmailEvent,
}

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
