package tokentree

import "example.com/livery/renderer/jsontree"

// JoinFlat lays one flat map over another.
func JoinFlat(under, over *jsontree.Node) *jsontree.Node {
	members := append([]jsontree.Member(nil), under.Members...)
	joined := jsontree.NewObject(members...)
	joined.Index()
	for _, m := range over.Members {
		if i := joined.IndexOf(m.Name); i >= 0 {
			members[i].Value = m.Value
			continue
		}
		members = append(members, m)
	}
	result := jsontree.NewObject(members...)
	result.Index()
	return result
}
