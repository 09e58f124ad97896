package old

import "slices"

// VoteShares says where the wrong votes of a forest's trees fall. The forest's error is
// Trees − Harmless + Useless (Brown and Kuncheva, "Good" and "bad" diversity in majority vote
// ensembles, 2010; they call the last two good and bad diversity).
type VoteShares struct {
	Trees    float64 // mean error of a tree: the share of wrong votes
	Forest   float64 // error of the plurality; of classes with equal votes the first wins
	Harmless float64 // wrong votes on rows that the forest gets right, of all votes
	Useless  float64 // right votes on rows that the forest gets wrong, of all votes
}

// ShareVotes counts votes, as [forest.Forest.Votes] returns them, for rows of the given
// labels.
func ShareVotes(votes [][]int32, labels []int32) VoteShares {
	var s VoteShares
	for i, row := range votes {
		all := int32(0)
		for _, n := range row {
			all += n
		}
		right := float64(row[labels[i]]) / float64(all)
		s.Trees += 1 - right
		if slices.Index(row, slices.Max(row)) == int(labels[i]) {
			s.Harmless += 1 - right
		} else {
			s.Forest++
			s.Useless += right
		}
	}
	for _, v := range []*float64{&s.Trees, &s.Forest, &s.Harmless, &s.Useless} {
		*v /= float64(len(votes))
	}
	return s
}
