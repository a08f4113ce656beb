import { type Handlers, handlers } from '#native-routes/index.ts'

// A compile-time test: `tsc` fails if a line after `@ts-expect-error` is no longer a type error.

const { 'libraries.create': createLibrary, ...allButOne } = handlers

// @ts-expect-error a native row must have a handler
export const withoutHandler: Handlers = allButOne

const { 'webhooks.email': receiveEmailEvent, ...allButEmail } = handlers

// @ts-expect-error a native-only row must have a handler
export const withoutWebhook: Handlers = allButEmail

export const underWrongRuntime: Handlers = {
  ...handlers,
  // @ts-expect-error a webhook can handle only a signed route
  'libraries.create': receiveEmailEvent,
}

export const underWrongLabel: Handlers = {
  ...handlers,
  // @ts-expect-error a handler must be registered under the label of its contract
  'libraries.list': createLibrary,
}

export const underUnknownLabel: Handlers = {
  ...handlers,
  // @ts-expect-error every label must have a row in the route table
  'libraries.rename': createLibrary,
}
