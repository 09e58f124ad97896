// Package inspect analyses trained forests of any method.
//
// Of the training rows it finds those that the regions depend on ([Sensitivity]); [Drift] tests whether new rows come from elsewhere. Of the model it measures how predictions depend on
// features ([PermutationImportance], [PartialDependence]), its size ([ModelSize]), how different its trees are
// ([TreeDiversity]), and how good they are and how alike their mistakes ([StrengthCorrelation]).
package inspect
