import { labels, rowOf } from '#contracts/shared/row.ts'
import { formatColumns } from './columns.ts'

/** The route table of the code. */
export const formatRouteTable = () =>
  formatColumns([
    ['route', 'method', 'path', 'auth', 'runtime', 'effects'],
    ...labels.map((label) => {
      const { method, path, auth, runtime, effects } = rowOf(label)
      return [label, method, path, auth, runtime, effects]
    }),
  ])
