import * as mediaDispatches from '../../internal.media-dispatches.ts'

const page = mediaDispatches.list.responses[200]

export const internalNames = {
  QueuedDispatch: page.shape.records.element,
  QueuedDispatchPage: page,
}
