// What a page is given: the parts of its path that differ, such as an id.
export interface PageProps {
  params: Record<string, string>;
}
