type Values = Readonly<Record<string, string | number | undefined>>

/** Formats a query with its `?`. Leaves out undefined and empty values; without any others, the query is empty. */
export const formatQuery = (values: Values): string => {
  const given = Object.entries(values).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [[name, String(value)]],
  )
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`
}
