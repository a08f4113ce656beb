import type { RecordedRequest } from './recording.ts'

const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

const toVariable = (param: string) => `$${param.replaceAll(/([A-Z])/g, '_$1').toUpperCase()}`

// In double quotes, the shell replaces `$`, a backtick and a backslash.
const escapeQuery = (query: string) => query.replaceAll(/[\s"$`\\#]/g, encodeURIComponent)

const formatPath = (path: string) => {
  const [template = '', ...query] = path.split('?')
  const resource = template.replaceAll(/:(\w+)/g, (_, param: string) => toVariable(param))
  return query.length === 0 ? resource : `${resource}?${escapeQuery(query.join('?'))}`
}

const formatHeader = ([name, value]: readonly [string, string]) =>
  name === 'authorization' ? '-H "Authorization: Bearer $TOKEN"' : `-H ${quote(`${name}: ${value}`)}`

/** A curl command that repeats a request. The shell variables are the base URL, the token and the path parameters. */
export const formatCurl = ({ method, path, headers, body }: RecordedRequest) =>
  [
    'curl -i',
    ...(method === 'GET' ? [] : [`-X ${method}`]),
    `"$BASE${formatPath(path)}"`,
    ...Object.entries(headers).map(formatHeader),
    ...(body === null ? [] : [`--data-raw ${quote(body)}`]),
  ].join(' ')
